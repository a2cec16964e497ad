#include "nlq/compile.h"

#include "nlq/compile_builder.h"
#include "nlq/compile_shapes.h"

namespace dragoman::nlq {

result<compiled> compile(const query_intent& q, const semantic_layer& layer) {
  try {
    switch (q.shape) {
      case query_shape::aggregate:
        return q.median_attribute.empty() ? compile_aggregate(q, layer) : compile_median(q, layer);
      case query_shape::list: return compile_list(q, layer);
      case query_shape::detail: return compile_detail(q, layer);
      case query_shape::existence: return compile_existence(q, layer);
    }
  } catch (const cannot_compile& c) {
    return failure(errc::unsupported_construct,
                   "The semantic layer has no way to combine this with " + c.message + ".");
  }
  return failure(errc::internal, "A frame without a shape.");
}

}  // namespace dragoman::nlq
