#include "nlq/compile.h"

#include "nlq/compile_builder.h"
#include "nlq/compile_check.h"
#include "nlq/compile_shapes.h"

namespace dragoman::nlq {

result<compiled> compile(const query_intent& q, const semantic_layer& layer) {
  auto refuse = [&](const std::string& what) {
    return failure(errc::unsupported_construct,
                   q.lang == language::persian ? "لایه معنایی راهی برای ترکیب این پرسش با " + what + " ندارد."
                                               : "The semantic layer has no way to combine this with " + what + ".");
  };
  if (std::string unplaced = unplaced_slot(q); !unplaced.empty()) return refuse(unplaced);
  try {
    switch (q.shape) {
      case query_shape::aggregate:
        return q.median_attribute.empty() ? compile_aggregate(q, layer) : compile_median(q, layer);
      case query_shape::list: return compile_list(q, layer);
      case query_shape::detail: return compile_detail(q, layer);
      case query_shape::existence: return compile_existence(q, layer);
    }
  } catch (const cannot_compile& c) {
    return c.sentence ? failure(errc::unsupported_construct, c.message) : refuse(c.message);
  }
  return failure(errc::internal, "A frame without a shape.");
}

}  // namespace dragoman::nlq
