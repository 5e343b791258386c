/** Beginning of a text, or of a cell for spreadsheets that separate by semicolon or tab and ignore the quotes. */
const formulas = /(^|[;\t\r\n])(?=\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/g

/** Quotes a value; a spreadsheet would run a text that begins like a formula (T03). */
export function cell(value: string | number | object | null): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
  const inert = text.replace(/^(?=[\t\r\n])/, "'").replaceAll(formulas, "$1'")
  return `"${inert.replaceAll('"', '""')}"`
}

export const line = (values: readonly Parameters<typeof cell>[0][]): string => `${values.map(cell).join(',')}\r\n`

/**
 * Lines of a CSV file, after its heading. The byte order mark has spreadsheets read UTF-8: Excel takes a file without one
 * for the code page of the system.
 */
export async function* csvFile(heading: readonly string[], pages: AsyncIterable<string>): AsyncIterable<string> {
  yield `\uFEFF${line(heading)}`
  yield* pages
}
