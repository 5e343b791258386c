/*
 * Functions, operators and a collation that give statements of the product the meaning that they have in SQLite. They live
 * in the schema of the product and need no rights of a superuser.
 */

const pure = 'LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE'

/** Lists in JSON as rows; `value` of `jsonb_each` is JSON, of `json_each` text. */
const lists = [
  `CREATE FUNCTION json_each(text) RETURNS TABLE (key bigint, value text) ${pure} ROWS 100 AS
   $$ SELECT place - 1, item FROM pg_catalog.jsonb_array_elements_text($1::jsonb) WITH ORDINALITY AS list (item, place) $$`,
  `CREATE FUNCTION jsonb_each(text) RETURNS TABLE (key bigint, value jsonb) ${pure} ROWS 100 AS
   $$ SELECT place - 1, item FROM pg_catalog.jsonb_array_elements($1::jsonb) WITH ORDINALITY AS list (item, place) $$`,
  `CREATE FUNCTION json_tree(text) RETURNS TABLE (type text, atom text) ${pure} AS
   $$ SELECT 'text', item #>> '{}' FROM jsonb_path_query($1::jsonb, 'strict $.** ? (@.type() == "string")') AS item $$`,
]

/** Merges JSON as RFC 7396 says, members of members too; null removes a member. */
const mergedMembers = [
  `CREATE FUNCTION json_merged(jsonb, jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
   DECLARE merged jsonb := CASE WHEN jsonb_typeof($1) = 'object' THEN $1 ELSE '{}' END; member record;
   BEGIN
     IF jsonb_typeof($2) <> 'object' THEN RETURN $2; END IF;
     FOR member IN SELECT * FROM pg_catalog.jsonb_each($2) LOOP
       merged := CASE WHEN jsonb_typeof(member.value) = 'null' THEN merged - member.key
         ELSE jsonb_set(merged, ARRAY[member.key], json_merged(merged -> member.key, member.value)) END;
     END LOOP;
     RETURN merged;
   END $$`,
  `CREATE FUNCTION json_patch(text, text) RETURNS text ${pure} AS
   $$ SELECT json_merged($1::jsonb, $2::jsonb)::text $$`,
]

const members = [
  `CREATE FUNCTION json_member(text, text) RETURNS text ${pure} AS $$ SELECT $1::jsonb ->> $2 $$`,
  'CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member)',
  ...mergedMembers,
]

const numbers = [
  `CREATE FUNCTION max(bigint, bigint) RETURNS bigint ${pure} AS $$ SELECT greatest($1, $2) $$`,
  `CREATE FUNCTION max(bigint, bigint, bigint) RETURNS bigint ${pure} AS $$ SELECT greatest($1, $2, $3) $$`,
  `CREATE FUNCTION min(bigint, bigint) RETURNS bigint ${pure} AS $$ SELECT least($1, $2) $$`,
  `CREATE FUNCTION is_number(boolean, integer) RETURNS boolean ${pure} AS $$ SELECT $1::integer OPERATOR(pg_catalog.=) $2 $$`,
  'CREATE OPERATOR = (LEFTARG = boolean, RIGHTARG = integer, FUNCTION = is_number)',
]

const texts = [
  `CREATE FUNCTION instr(text, text) RETURNS integer ${pure} AS $$ SELECT strpos($1 COLLATE "C", $2 COLLATE "C") $$`,
  // Texts of columns with different collations may be joined before they are compared.
  `CREATE FUNCTION lower_text(text) RETURNS text ${pure} AS $$ SELECT lower($1 COLLATE "C") $$`,
  `CREATE FUNCTION iif(boolean, text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
   $$ SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$`,
  `CREATE FUNCTION same_text(text) RETURNS text ${pure} AS $$ SELECT $1 $$`,
  // In SQLite, `+column` keeps the planner from the index of the column.
  'CREATE OPERATOR + (RIGHTARG = text, FUNCTION = same_text)',
]

const groups = [
  `CREATE FUNCTION json_list(json[]) RETURNS text ${pure} AS $$ SELECT array_to_json($1)::text $$`,
  `CREATE FUNCTION json_list(text[]) RETURNS text ${pure} AS $$ SELECT array_to_json($1)::text $$`,
  `CREATE AGGREGATE json_group_array(json) (SFUNC = array_append, STYPE = json[], INITCOND = '{}', FINALFUNC = json_list)`,
  `CREATE AGGREGATE json_group_array(text) (SFUNC = array_append, STYPE = text[], INITCOND = '{}', FINALFUNC = json_list)`,
  `CREATE FUNCTION comma_list(text[]) RETURNS text ${pure} AS $$ SELECT array_to_string($1, ',') $$`,
  `CREATE AGGREGATE group_concat(text) (SFUNC = array_append, STYPE = text[], FINALFUNC = comma_list)`,
]

/** Statements for a new schema, before its tables. */
export const functions: readonly string[] = [
  `CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
  ...lists,
  ...members,
  ...numbers,
  ...texts,
  ...groups,
]
