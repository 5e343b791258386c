import { settingRows, type SettingRow } from './keys.ts'
import { prefix } from './names.ts'

const typeOf = ({ kind, many }: SettingRow) => (many === 'list' ? `${kind.type}[]` : kind.type)

const defaultOf = (row: SettingRow) => row.shownDefault ?? row.fallback

const variableOf = (row: SettingRow) =>
  `${prefix}${row.key}${row.many === 'list' ? '__0' : row.many === 'map' ? '__<name>' : ''}`

const unusedMarks = { whole: 'Not used yet.', items: 'Only the item `Default` is used yet.' }

/** What a key means, and whether it does anything. */
const meaningOf = ({ description, unused }: SettingRow) =>
  unused ? `${unusedMarks[unused]} ${description}` : description

const headingOf = (group: string) => (group === '' ? 'General' : group.charAt(0).toUpperCase() + group.slice(1))

function markdownTable(rows: SettingRow[]): string[] {
  const cells = rows.map((row) => [
    `\`${variableOf(row)}\``,
    typeOf(row),
    defaultOf(row) === '' ? '' : `\`${defaultOf(row)}\``,
    meaningOf(row).replaceAll('|', '\\|') + (row.secret ? ' Secret.' : ''),
  ])
  return [
    '| Variable | Type | Default | Meaning |',
    '| --- | --- | --- | --- |',
    ...cells.map((row) => `| ${row.join(' | ')} |`),
  ]
}

const plainList = (rows: SettingRow[]) =>
  rows.flatMap((row) => [
    `  ${variableOf(row)}  (${[typeOf(row), defaultOf(row) && `default ${defaultOf(row)}`].filter(Boolean).join('; ')})`,
    `      ${meaningOf(row).replaceAll('`', '')}`,
  ])

/** All keys with type, default and meaning: `plain` for a terminal, `markdown` for the documentation. */
export function printConfigTable(format: 'plain' | 'markdown' = 'plain'): string {
  const sections = [...Map.groupBy(settingRows, (row) => row.group)].map(([group, rows]) =>
    format === 'plain'
      ? [headingOf(group), ...plainList(rows)].join('\n')
      : [`### ${headingOf(group)}`, '', ...markdownTable(rows)].join('\n'),
  )
  return `${sections.join('\n\n')}\n`
}
