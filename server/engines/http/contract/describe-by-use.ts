import type { JsonSchema } from './schemas.ts'

interface DescribedOperation {
  summary: string
  requestBody?: { content: Record<string, { schema?: JsonSchema }> } | undefined
  responses: Record<string, object>
}

const longest = 3

/** Up to three names, and the number of the others. */
const listOf = (names: ReadonlySet<string>) =>
  [...names].slice(0, longest).join('; ') + (names.size > longest ? `; and ${names.size - longest} more` : '')

/** Names of the schemas that a part of a document references. */
const referencesIn = (part: unknown) =>
  [...JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)

/** Describes each schema without a description by its uses: generators copy descriptions into the code they write. */
export function describeByUse(schemas: Record<string, JsonSchema>, operations: readonly DescribedOperation[]): void {
  const uses = {
    body: new Map<string, Set<string>>(),
    answer: new Map<string, Set<string>>(),
    part: new Map<string, Set<string>>(),
  }
  const note = (kind: keyof typeof uses, part: unknown, by: string) => {
    for (const name of referencesIn(part)) {
      uses[kind].set(name, (uses[kind].get(name) ?? new Set()).add(by))
    }
  }
  for (const { summary, requestBody, responses } of operations) {
    note('body', requestBody, summary)
    note('answer', responses, summary)
  }
  for (const [name, schema] of Object.entries(schemas)) {
    note('part', schema, `\`${name}\``)
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const [body, answer, part] = [uses.body.get(name), uses.answer.get(name), uses.part.get(name)]
    schema.description ??= [
      body && `Body of: ${listOf(body)}.`,
      answer && `Answer to: ${listOf(answer)}.`,
      !body && !answer && part && `Part of ${listOf(part)}.`,
    ]
      .filter(Boolean)
      .join(' ')
  }
}
