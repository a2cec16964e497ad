#include "nlq/compile.h"

#include "nlq/compile_builder.h"
#include "nlq/compile_check.h"
#include "nlq/compile_compose.h"
#include "nlq/compile_shapes.h"

namespace dragoman::nlq {
namespace {

compiled compile_shape(const query_intent& q, const semantic_layer& layer) {
  switch (q.shape) {
    case query_shape::aggregate:
      return q.median_attribute.empty() ? compile_aggregate(q, layer) : compile_median(q, layer);
    case query_shape::list: return compile_list(q, layer);
    case query_shape::detail: return compile_detail(q, layer);
    case query_shape::existence: return compile_existence(q, layer);
  }
  throw cannot_compile{"a frame without a shape"};
}

}  // namespace

compiled compile_frame(const query_intent& q, const semantic_layer& layer) {
  if (std::string unplaced = unplaced_slot(q); !unplaced.empty()) throw cannot_compile{unplaced};
  compiled out = compile_shape(q, layer);
  attach_earlier(q, layer, out);
  count_answer(q, layer, out);
  return out;
}

result<compiled> compile(const query_intent& q, const semantic_layer& layer) {
  try {
    return compile_frame(q, layer);
  } catch (const cannot_compile& c) {
    if (c.sentence) return failure(errc::unsupported_construct, c.message);
    return failure(errc::unsupported_construct,
                   q.lang == language::persian
                       ? "لایه معنایی راهی برای ترکیب این پرسش با " + c.message + " ندارد."
                       : "The semantic layer has no way to combine this with " + c.message + ".");
  }
}

}  // namespace dragoman::nlq
