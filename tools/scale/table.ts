import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'

/** Report of Vitest's JSON reporter, as far as it is shown. */
interface Report {
  testResults: {
    name: string
    startTime: number
    endTime: number
    assertionResults: { status: string }[]
  }[]
}

const columns = ['files', 'passed', 'failed', 'skipped', 'seconds'] as const
type Row = Record<(typeof columns)[number], number>

const folderOf = (file: string) => path.dirname(path.relative(root, file)).split(path.sep).slice(0, 3).join('/')

/** Table of the tests in reports of Vitest, by folder, with their sum. */
export function tableOf(reports: readonly string[]): string {
  const rows = new Map<string, Row>()
  const files = reports.flatMap((report) => (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults)
  for (const { name, startTime, endTime, assertionResults } of files) {
    const numberOf = (...wanted: string[]) => assertionResults.filter(({ status }) => wanted.includes(status)).length
    const [passed, failed] = [numberOf('passed'), numberOf('failed')]
    // A file that could not be loaded has no tests.
    const own = { files: 1, passed, failed, skipped: assertionResults.length - passed - failed }
    const seconds = (endTime - startTime) / 1_000
    for (const key of [folderOf(name), 'all']) {
      const row = rows.get(key) ?? { files: 0, passed: 0, failed: 0, skipped: 0, seconds: 0 }
      columns.forEach((column) => (row[column] += { ...own, seconds }[column]))
      rows.set(key, row)
    }
  }
  const line = (name: string, cells: readonly string[]) =>
    name.padEnd(34) + cells.map((cell) => cell.padStart(9)).join('')
  const { all, ...folders } = Object.fromEntries(rows)
  const sorted = Object.entries(folders).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [
    line('', columns),
    ...[...sorted, ...(all ? [['all', all] as const] : [])].map(([name, row]) =>
      line(
        name,
        columns.map((column) => row[column].toFixed(0)),
      ),
    ),
  ].join('\n')
}
