// Every field of every node, in the order in which it is written in T-SQL: the one list that walkers go by.
//
// each_field(node, f) calls f with each field. The fields are taken apart by a structured binding, so a field that is
// added to a struct and forgotten here does not compile.
#pragma once

#include <concepts>
#include <type_traits>

#include "guard/tsql/ast.h"

namespace dragoman::tsql {

#define DRAGOMAN_NODE(type, ...)                              \
  template <class N, class F>                                 \
  requires std::same_as<std::remove_const_t<N>, type>         \
  void each_field(N& node_, F&& f_) {                         \
    auto& [__VA_ARGS__] = node_;                              \
    [&](auto&... field_) { (f_(field_), ...); }(__VA_ARGS__); \
  }

DRAGOMAN_NODE(object_name, server, database, schema, name, pos)

// Expressions
DRAGOMAN_NODE(literal, kind, text)
DRAGOMAN_NODE(variable, name)
DRAGOMAN_NODE(column_ref, table, name, pseudo)
DRAGOMAN_NODE(niladic_function, kind)
DRAGOMAN_NODE(odbc_literal, kind, unicode, text)
DRAGOMAN_NODE(unary, op, operand)
DRAGOMAN_NODE(binary, op, left, right)
DRAGOMAN_NODE(comparison, op, left, right)
DRAGOMAN_NODE(logical, op, operands)
DRAGOMAN_NODE(negation, operand)
DRAGOMAN_NODE(is_null, operand, negated)
DRAGOMAN_NODE(is_distinct_from, left, right, negated)
DRAGOMAN_NODE(between, operand, low, high, negated)
DRAGOMAN_NODE(in_list, operand, list, negated)
DRAGOMAN_NODE(in_subquery, operand, query, negated)
DRAGOMAN_NODE(like, operand, pattern, escape, negated)
DRAGOMAN_NODE(exists, query)
DRAGOMAN_NODE(quantified_comparison, op, operand, quantity, query, distinct)
DRAGOMAN_NODE(collate, operand, collation)
DRAGOMAN_NODE(at_time_zone, operand, zone)
DRAGOMAN_NODE(case_branch, when, then)
DRAGOMAN_NODE(case_expression, operand, branches, otherwise)
DRAGOMAN_NODE(data_type, name, parameters, xml_document, xml_content, xml_schema)
DRAGOMAN_NODE(conversion, kind, value, type, style)
DRAGOMAN_NODE(order_item, value, descending)
DRAGOMAN_NODE(frame_bound, kind, offset)
DRAGOMAN_NODE(window_frame, unit, start, end)
DRAGOMAN_NODE(window_definition, base, partition_by, order_by, frame)
DRAGOMAN_NODE(over_clause, window, definition)
DRAGOMAN_NODE(call_options, within_group, within_graph_path, order_by, nulls, json_nulls, wrapper, returning, trim,
              trim_from, model, model_parameters)
DRAGOMAN_NODE(function_call, name, quantifier, star, arguments, options, over)
DRAGOMAN_NODE(json_key_value, key, value)
DRAGOMAN_NODE(named_argument, name, value)
DRAGOMAN_NODE(method_call, target, name, is_property, arguments)
DRAGOMAN_NODE(static_call, type, name, is_property, arguments)
DRAGOMAN_NODE(partition_function, database, name, arguments)
DRAGOMAN_NODE(odbc_function, name, arguments)
DRAGOMAN_NODE(next_value_for, sequence, over)
DRAGOMAN_NODE(scalar_subquery, query)
DRAGOMAN_NODE(fulltext_predicate, kind, columns, star, star_table, property, search, language)
DRAGOMAN_NODE(graph_node, name, last_node)
DRAGOMAN_NODE(graph_step, edge, direction, target, node_first)
DRAGOMAN_NODE(graph_pattern, start, steps, shortest_path, quantifier, same_node)
DRAGOMAN_NODE(match_predicate, patterns)
DRAGOMAN_NODE(expression, kind, pos)

// Tables
DRAGOMAN_NODE(table_alias, name, columns)
DRAGOMAN_NODE(table_hint, name, indexes, columns, value, pos)
DRAGOMAN_NODE(tablesample, system, amount, unit, repeatable)
DRAGOMAN_NODE(temporal_clause, kind, start, end)
DRAGOMAN_NODE(named_table, name, alias, hints, sample, system_time, for_path)
DRAGOMAN_NODE(variable_table, name, alias)
DRAGOMAN_NODE(derived_table, query, alias, for_path)
DRAGOMAN_NODE(value_row, values)
DRAGOMAN_NODE(values_table, rows, alias)
DRAGOMAN_NODE(schema_column, name, type, collation, path, as_json, not_null)
DRAGOMAN_NODE(function_table, call, schema, alias)
DRAGOMAN_NODE(rowset_option, name, value, object, object_alias, order, unique)
DRAGOMAN_NODE(rowset_function, kind, arguments, options, object, key_columns, schema, schema_table, hints, alias)
DRAGOMAN_NODE(fulltext_table, kind, table, columns, star, property, arguments, language, top, alias)
DRAGOMAN_NODE(joined_table, kind, hint, left, right, on)
DRAGOMAN_NODE(pivoted_table, source, aggregate, arguments, pivot_column, values, alias)
DRAGOMAN_NODE(unpivoted_table, source, value_column, name_column, columns, alias)
DRAGOMAN_NODE(table_source, kind, pos)

// Queries
DRAGOMAN_NODE(select_expression, value, alias)
DRAGOMAN_NODE(select_star, table)
DRAGOMAN_NODE(select_assignment, variable, op, value)
DRAGOMAN_NODE(select_item, kind, pos)
DRAGOMAN_NODE(top_clause, count, percent, with_ties, with_approximate)
DRAGOMAN_NODE(grouping_element, kind, expressions, elements)
DRAGOMAN_NODE(group_by_clause, all, elements, legacy)
DRAGOMAN_NODE(named_window, name, definition)
DRAGOMAN_NODE(query_specification, distinct, top, items, into, from, where, group_by, having, windows)
DRAGOMAN_NODE(set_operation, op, left, right)
DRAGOMAN_NODE(offset_fetch, offset, fetch, fetch_approximate)
DRAGOMAN_NODE(for_xml, mode, element, binary_base64, type, xmldata, xmlschema, xmlschema_uri, root, root_name, elements)
DRAGOMAN_NODE(for_json, mode, root, root_name, include_null_values, without_array_wrapper)
DRAGOMAN_NODE(query_expression, body, order_by, offset, for_, pos)
DRAGOMAN_NODE(xml_namespace, uri, prefix)
DRAGOMAN_NODE(common_table_expression, name, columns, query, pos)
DRAGOMAN_NODE(optimize_for_item, variable, value)
DRAGOMAN_NODE(query_hint, name, value, optimize_for, list, table, table_hints, pos)
DRAGOMAN_NODE(select_statement, xml_namespaces, ctes, query, hints, pos)

// Statements
DRAGOMAN_NODE(column_definition, name, type, collation, identity, identity_seed, identity_increment, nullable,
              primary_key, unique, default_value, computed, check)
DRAGOMAN_NODE(table_constraint, kind, columns, check)
DRAGOMAN_NODE(table_definition, columns, constraints)
DRAGOMAN_NODE(variable_declaration, name, type, table, value)
DRAGOMAN_NODE(declare_statement, variables)
DRAGOMAN_NODE(set_variable_statement, variable, op, value)
DRAGOMAN_NODE(set_option_statement, options, values)
DRAGOMAN_NODE(if_statement, condition, then, otherwise)
DRAGOMAN_NODE(while_statement, condition, body)
DRAGOMAN_NODE(block_statement, statements)
DRAGOMAN_NODE(try_catch_statement, body, handler)
DRAGOMAN_NODE(flow_statement, kind, value)
DRAGOMAN_NODE(transaction_statement, kind, name)
DRAGOMAN_NODE(print_statement, value)
DRAGOMAN_NODE(raiserror_statement, arguments, options)
DRAGOMAN_NODE(throw_statement, arguments)
DRAGOMAN_NODE(use_statement, database)
DRAGOMAN_NODE(execute_argument, parameter, value, output)
DRAGOMAN_NODE(execute_statement, status_variable, procedure, procedure_variable, arguments, strings, implicit)
DRAGOMAN_NODE(create_table_statement, table, definition)
DRAGOMAN_NODE(drop_table_statement, if_exists, tables)
DRAGOMAN_NODE(insert_statement, table, table_variable, columns, default_values, rows, query, execute)
DRAGOMAN_NODE(other_statement, kind)
DRAGOMAN_NODE(statement, kind, pos, end_offset)
DRAGOMAN_NODE(batch, statements)

#undef DRAGOMAN_NODE

template <class N, class F>
requires std::same_as<std::remove_const_t<N>, for_browse>
void each_field(N&, F&&) {}

}  // namespace dragoman::tsql
