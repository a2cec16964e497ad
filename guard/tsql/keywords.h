// The keyword table: one list that the lexer looks words up in, the parser compares by and the printer quotes by.
//
// Spellings end in an underscore so that none is a C++ keyword. To add a word: one entry in one of the three lists.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::tsql {

// Reserved (T-SQL reference: "Reserved keywords"): never an identifier unless it is delimited.
// clang-format off
#define DRAGOMAN_RESERVED_KEYWORDS(X) \
  X(add_) X(all_) X(alter_) X(and_) X(any_) X(as_) X(asc_) X(authorization_) X(backup_) X(begin_) X(between_) \
  X(break_) X(browse_) X(bulk_) X(by_) X(cascade_) X(case_) X(check_) X(checkpoint_) X(close_) X(clustered_) \
  X(coalesce_) X(collate_) X(column_) X(commit_) X(compute_) X(constraint_) X(contains_) X(containstable_) \
  X(continue_) X(convert_) X(create_) X(cross_) X(current_) X(current_date_) X(current_time_) \
  X(current_timestamp_) X(current_user_) X(cursor_) X(database_) X(dbcc_) X(deallocate_) X(declare_) X(default_) \
  X(delete_) X(deny_) X(desc_) X(distinct_) X(distributed_) X(double_) X(drop_) X(else_) X(end_) X(errlvl_) \
  X(escape_) X(except_) X(exec_) X(execute_) X(exists_) X(exit_) X(external_) X(fetch_) X(file_) X(fillfactor_) \
  X(for_) X(foreign_) X(freetext_) X(freetexttable_) X(from_) X(full_) X(function_) X(goto_) X(grant_) X(group_) \
  X(having_) X(holdlock_) X(identity_) X(identity_insert_) X(identitycol_) X(if_) X(in_) X(index_) X(inner_) \
  X(insert_) X(intersect_) X(into_) X(is_) X(join_) X(key_) X(kill_) X(left_) X(like_) X(lineno_) X(merge_) \
  X(national_) X(nocheck_) X(nonclustered_) X(not_) X(null_) X(nullif_) X(of_) X(off_) X(offsets_) X(on_) \
  X(open_) X(opendatasource_) X(openquery_) X(openrowset_) X(openxml_) X(option_) X(or_) X(order_) X(outer_) \
  X(over_) X(percent_) X(pivot_) X(plan_) X(primary_) X(print_) X(proc_) X(procedure_) X(public_) X(raiserror_) \
  X(read_) X(readtext_) X(reconfigure_) X(references_) X(replication_) X(restore_) X(restrict_) X(return_) \
  X(revert_) X(revoke_) X(right_) X(rollback_) X(rowcount_) X(rowguidcol_) X(rule_) X(save_) X(schema_) \
  X(select_) X(semantickeyphrasetable_) X(semanticsimilaritydetailstable_) X(semanticsimilaritytable_) \
  X(session_user_) X(set_) X(setuser_) X(shutdown_) X(some_) X(statistics_) X(stoplist_) X(system_user_) \
  X(table_) X(tablesample_) X(textsize_) X(then_) X(to_) X(top_) X(tran_) X(transaction_) X(trigger_) \
  X(truncate_) X(try_convert_) X(tsequal_) X(union_) X(unique_) X(unpivot_) X(update_) X(updatetext_) X(use_) \
  X(user_) X(values_) X(varying_) X(view_) X(waitfor_) X(when_) X(where_) X(while_) X(with_) X(writetext_)
// clang-format on

// Listed as reserved, or reserved from some compatibility level on, and still met bare: read as identifiers, printed
// in brackets.
// clang-format off
#define DRAGOMAN_QUOTED_KEYWORDS(X) \
  X(disk_) X(dump_) X(load_) X(precision_) X(securityaudit_) X(within_) X(window_) X(go_) X(offset_)
// clang-format on

// Words that mean something in one place only.
// clang-format off
#define DRAGOMAN_CONTEXT_KEYWORDS(X) \
  X(absent_) X(ai_generate_chunks_) X(ai_generate_embeddings_) X(apply_) X(approx_) X(approximate_) X(array_) X(at_) \
  X(auto_) X(base64_) X(binary_) X(both_) X(browser_) X(cast_) X(catch_) X(changes_) X(changetable_) X(char_) \
  X(character_) X(concat_) X(conditional_) X(contained_) X(content_) X(cube_) X(d_) X(disable_) X(document_) \
  X(elements_) X(enable_) X(explicit_) X(extract_) X(fast_) X(first_) X(first_value_) X(fn_) X(following_) \
  X(force_) X(forceseek_) X(get_) X(graph_) X(grouping_) X(guid_) X(hash_) X(hint_) X(ignore_) X(iif_) \
  X(include_null_values_) X(isolation_) X(json_) X(json_array_) X(json_arrayagg_) X(json_object_) \
  X(json_objectagg_) X(json_query_) X(json_value_) X(lag_) X(language_) X(last_node_) X(local_) X(last_value_) X(lead_) \
  X(leading_) X(level_) X(loop_) X(match_) X(max_) X(maxdop_) X(move_) X(name_) X(nchar_) X(next_) X(nulls_) \
  X(oj_) X(only_) X(openjson_) X(optimize_) X(out_) X(output_) X(parameters_) X(parse_) X(partition_) X(path_) \
  X(preceding_) X(predict_) X(property_) X(range_) X(raw_) X(readonly_) X(receive_) X(redistribute_) X(reduce_) \
  X(regexp_like_) X(remote_) X(repeatable_) X(replicate_) X(respect_) X(returning_) X(rollup_) X(root_) X(row_) \
  X(rows_) X(send_) X(sets_) X(shortest_path_) X(system_) X(system_time_) X(t_) X(text_) X(throw_) X(ties_) \
  X(time_) X(trailing_) X(trim_) X(try_) X(try_cast_) X(try_parse_) X(ts_) X(type_) X(unbounded_) X(unknown_) \
  X(using_) X(value_) X(varchar_) X(vector_search_) X(version_) X(without_) X(without_array_wrapper_) X(work_) \
  X(wrapper_) X(xml_) X(xmldata_) X(xmlnamespaces_) X(xmlschema_) X(xsinil_) X(zone_) X(computed_) X(persisted_) \
  X(simple_) X(forced_) X(mark_)
// clang-format on

enum class keyword : std::uint16_t {
  none,
#define X(word) word,
  DRAGOMAN_RESERVED_KEYWORDS(X) last_reserved,
  DRAGOMAN_QUOTED_KEYWORDS(X) last_quoted,
  DRAGOMAN_CONTEXT_KEYWORDS(X)
#undef X
};

// Case does not matter; keyword::none for any other word.
keyword find_keyword(std::string_view word) noexcept;

// In upper case, e.g. "SELECT".
std::string_view spelling(keyword word) noexcept;

constexpr bool is_reserved(keyword word) noexcept {
  return word != keyword::none && word < keyword::last_reserved;
}

// Whether the printer delimits an identifier that is spelled like this word.
constexpr bool needs_quotes(keyword word) noexcept {
  return word != keyword::none && word < keyword::last_quoted;
}

}  // namespace dragoman::tsql
