import { expect, test } from 'vitest'
import { useTestServer } from '../support/server.ts'

test('no cell of an exported log begins like a formula, and quotes stay in their cell', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const names = ['=HYPERLINK("http://evil.example","x")', '+1+cmd|calc', '-2+3', '@SUM(1)', 'a",=1+1,"b', '＝1+1']
  for (const name of names) {
    await owner.userGroups.create({ tenantId, body: { name } })
  }
  for (const path of ['audit-log/export?format=csv&', 'rights/changes/export?']) {
    const answer = await owner.fetch(`/api/appliance/v1/${path}tenantId=${tenantId}`, {
      headers: { 'user-agent': '=1+1' },
    })
    expect(answer.headers.get('content-disposition')).toContain('attachment')
    const text = await answer.text()
    // Cells as a spreadsheet reads them.
    const cells = [...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => cell!.replaceAll('""', '"'))
    const named = names.map((name) => cells.find((cell) => cell.endsWith(name)))
    expect(cells.includes("'=1+1")).toBe(path.startsWith('audit-log'))
    expect(named, path).not.toContain(undefined)
    expect(cells.filter((cell) => /^\s*[=+\-@\uFF1D]|^[\t\r\n]/.test(cell))).toEqual([])
  }
})

test('no part of a cell begins like a formula for a spreadsheet that separates by semicolons', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  await owner.userGroups.create({ tenantId, body: { name: 'People;=1+1;x' } })
  const query = `format=csv&tenantId=${tenantId}`
  const text = await (await owner.fetch(`/api/appliance/v1/audit-log/export?${query}`)).text()
  expect(text).toContain("People;'=1+1;x")
  // After its first cell such a spreadsheet ignores the quotes.
  expect(text.split(/[;\r\n]/).filter((part) => /^\s*[=+\-@]/.test(part))).toEqual([])
})
