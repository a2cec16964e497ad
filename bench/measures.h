// The measurements, one function each; main.cc lists them.
#pragma once

#include "bench/figures.h"
#include "bench/scenario.h"

namespace dragoman::bench {

void measure_relay(const settings&, figures&);      // relay.cc: rows and bytes per second, memory, CPU
void measure_latency(const settings&, figures&);    // latency.cc: one-row SELECTs
void measure_idle(const settings&, figures&);       // sessions.cc: memory of sessions that do nothing
void measure_connects(const settings&, figures&);   // sessions.cc: logins per second
void measure_flood(const settings&, figures&);      // flood.cc: wrong passwords by the hundred thousand
void measure_fetch(const settings&, figures&);      // fetch.cc: the upstream layer alone, without the gateway
void measure_language(const settings&, figures&);   // language.cc: parse, print, guard
void measure_corpus(const settings&, figures&);     // corpus.cc: the same over many statements, and another parser
void measure_retrieval(const settings&, figures&);  // retrieval.cc: tables and values of a question, large catalogue
void measure_questions(const settings&, figures&);  // questions.cc: questions to rows, from the cache, with a model
void measure_peers(const settings&, figures&);      // peers.cc: HAProxy and tdspool in front of the same upstream

}  // namespace dragoman::bench
