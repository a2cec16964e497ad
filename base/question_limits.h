// Limits of what stands around the understanding of questions: cache, cost gate, rates, memory. The same rules as
// base/limits.h, and the same namespace; a header of its own because few files need it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dragoman::limits {

inline constexpr std::chrono::milliseconds answer_cache_lifetime{300'000};  // 0 = no cache
inline constexpr std::size_t answer_cache_answers = 256;
inline constexpr std::size_t answer_cache_bytes = 64 * 1024 * 1024;  // of all answers kept
inline constexpr std::size_t cached_answer_bytes = 1024 * 1024;      // of one; a larger one is not kept
inline constexpr std::chrono::milliseconds estimate_timeout{3'000};  // for a plan; then the statement runs without
inline constexpr std::size_t clarify_rounds_max = 2;                 // of one question, then the first option is taken
inline constexpr std::chrono::milliseconds conversation_memory_max{24 * 3'600'000};
inline constexpr std::size_t discussed_rows_max = 2'000;            // of an answer that is asked about
inline constexpr std::size_t composed_questions_max = 3;            // each asked of the answer to the one before
inline constexpr std::size_t conversation_turns_kept = 32;          // questions of one conversation that are remembered
inline constexpr std::chrono::milliseconds overlay_checked{1'000};  // how often the description file is looked at

// Of one prompt whose schema is chosen per question.
inline constexpr std::size_t definitions_retrieved = 12;
inline constexpr std::size_t rules_retrieved = 6;
// Approved questions shown beside a question, and how like it they must be, from 0 to 1.
inline constexpr std::size_t examples_retrieved = 3;
inline constexpr double example_likeness_min = 0.15;
inline constexpr std::size_t example_bytes_max = 2'000;  // of its SQL; a longer one is not shown

inline constexpr std::size_t vectors_kept = 100'000;  // embeddings, of all texts of all sources

inline constexpr std::size_t data_sources_max = 16;  // of one gateway

inline constexpr std::chrono::milliseconds cached_reply_suspected{50};  // the same SQL for another question, sooner
inline constexpr std::size_t grammar_names_max = 4'000;                 // tables and columns; with more there is none
inline constexpr std::size_t grammar_bytes_max = 128 * 1024;            // sent with every call of a model
inline constexpr std::size_t warm_up_tokens = 1;                        // that a model is asked for to keep it warm

}  // namespace dragoman::limits
