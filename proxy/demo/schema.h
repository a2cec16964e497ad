// The tables of the demo as a catalogue: names, T-SQL types, keys, descriptions.
#pragma once

#include "guard/catalog/catalog.h"

namespace dragoman::demo {

catalog::database demo_catalog();

}  // namespace dragoman::demo
