import { settingRows, type SettingRow } from './keys.ts'
import { prefix } from './setting-names.ts'

const typeOf = ({ kind, many }: SettingRow) => (many === 'list' ? `${kind.type}[]` : kind.type)

const defaultOf = (row: SettingRow) => row.shownDefault ?? row.fallback

const variableOf = (row: SettingRow) =>
  `${prefix}${row.key}${row.many === 'list' ? '__0' : row.many === 'map' ? '__<name>' : ''}`

const meaningOf = ({ description, instead, isInterfaceDefault }: SettingRow): string => {
  const effect = isInterfaceDefault ? 'Has no effect but a warning in the log:' : 'Stops the start; without it,'
  return instead === undefined ? description : `${effect} ${instead}. ${description}`
}

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

/** A description without the marks of Markdown, which only the documentation shows. */
export const withoutMarks = (text: string) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')

function plainList(rows: SettingRow[]) {
  return rows.flatMap((row) => {
    const type = row.many === 'list' ? `list of ${row.kind.type}` : row.kind.type
    const fallback = defaultOf(row) === '[]' ? 'none' : defaultOf(row)
    return [
      `  ${variableOf(row)}  (${[type, fallback && `default ${fallback}`].filter(Boolean).join('; ')})`,
      `      ${withoutMarks(meaningOf(row))}`,
    ]
  })
}

const endHeading = 'Not offered'

/**
 * Prints all keys with type, default and meaning, keys that stop the start last: `plain` for a terminal, `markdown` for the
 * documentation.
 */
export function printConfigTable(format: 'plain' | 'markdown' = 'plain'): string {
  const used = settingRows.filter(({ instead }) => instead === undefined)
  const refused = settingRows.filter((row) => !used.includes(row))
  const groups = [...Map.groupBy(used, ({ group }) => headingOf(group)), [endHeading, refused] as const]
  const sections = groups.map(([heading, rows]) =>
    format === 'plain'
      ? [heading, ...plainList(rows)].join('\n')
      : [`### ${heading}`, '', ...markdownTable(rows)].join('\n'),
  )
  return `${sections.join('\n\n')}\n`
}
