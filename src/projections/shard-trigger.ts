/** The parts of the statements of a trigger function: see {@link shardTrigger}. */
export interface TriggerParts {
  /** The name of a table that the function writes or reads. */
  readonly table: (name: string) => string;
  /** A variable of the function, or `TG_OP`. */
  readonly value: (name: string) => string;
  /** Runs a statement; `into` names the variable that takes its result. */
  readonly run: (sql: string, into?: string) => string;
}

/**
 * SQL of the body, in plpgsql, of a trigger function of `table` that uses other tables of the version: the same statements for
 * a plain table and for a shard of it on a node of a Citus cluster.
 *
 * On a node the triggers of a shard run, and the names of the other tables mean the tables of the whole cluster, over
 * separate connections. So there the statements name the shards of the same bots. They are colocated, and written in
 * the same transaction.
 * @param others the tables that the statements use besides `written`
 * @param variables types by name
 */
export function shardTrigger(
  table: string,
  others: readonly string[],
  variables: Readonly<Record<string, string>>,
  statements: (parts: TriggerParts) => string,
): string {
  const declared = Object.entries(variables).map(([name, type]) => `  ${name} ${type};\n`);
  const values = [...Object.keys(variables), 'TG_OP'];
  const plain = statements({
    table: (name) => name,
    value: (name) => name,
    run: (sql, into) => `${into === undefined ? sql : intoVariable(sql, into)};`,
  });
  const onShard = statements({
    table: (name) => `%${others.indexOf(name) + 1}$s`,
    value: (name) => `$${values.indexOf(name) + 1}`,
    run: (sql, into) =>
      `EXECUTE format($of_shard$${sql}$of_shard$, VARIADIC shards) ${into === undefined ? '' : `INTO ${into}`} USING ${values.join()};`,
  });
  return `
DECLARE
${declared.join('')}  shards text[];
BEGIN
  IF TG_TABLE_NAME = '${table}' THEN
    ${plain}
  ELSE
    SELECT array_agg(format('%I.%I', TG_TABLE_SCHEMA, t.name || '_' || o.shardid) ORDER BY t.i) INTO shards
      FROM unnest('{${others.join()}}'::text[]) WITH ORDINALITY AS t (name, i)
      JOIN pg_dist_shard s ON s.shardid = substring(TG_TABLE_NAME FROM '[0-9]+$')::bigint
      JOIN pg_dist_shard o ON o.logicalrelid = format('%I.%I', TG_TABLE_SCHEMA, t.name)::regclass
                          AND o.shardminvalue = s.shardminvalue;
    ${onShard}
  END IF;
  RETURN NULL;
END`;
}

/** plpgsql takes the result of a SELECT by `SELECT … INTO variable`. */
function intoVariable(sql: string, into: string): string {
  return `${into} := (${sql})`;
}
