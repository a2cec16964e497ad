// The shapes of frames, one compiler each. They end with cannot_compile.
#pragma once

#include "nlq/compile.h"

namespace dragoman::nlq {

// Whatever shape the frame has, with the earlier questions that it is composed on.
compiled compile_frame(const query_intent&, const semantic_layer&);

compiled compile_aggregate(const query_intent&, const semantic_layer&);
compiled compile_median(const query_intent&, const semantic_layer&);
compiled compile_list(const query_intent&, const semantic_layer&);
compiled compile_existence(const query_intent&, const semantic_layer&);
compiled compile_detail(const query_intent&, const semantic_layer&);

}  // namespace dragoman::nlq
