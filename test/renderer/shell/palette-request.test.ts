import { expect, test } from 'vitest'
import { readRequest } from '../../../renderer/shell/palette-request.ts'

const verbs = ['Remote control', 'Terminal', 'Wake', 'Restart'].map((label) => ({ label }))

const read = (text: string) => {
  const request = readRequest(text, verbs)
  return [request.verbs.map(({ label }) => label.toLowerCase()), request.searchText]
}

test.each([
  ['terminal on oslo-srv-0024', ['terminal'], 'oslo-srv-0024'],
  ['TERMINAL oslo', ['terminal'], 'oslo'],
  ['term oslo', ['terminal'], 'oslo'],
  ['wake lyon desk', ['wake'], 'lyon desk'],
  ['restart on <b>', ['restart'], '<b>'],
  ['terminal', [], 'terminal'],
  ['te oslo', [], 'te oslo'],
  ['oslo terminal', [], 'oslo terminal'],
  ['on oslo', [], 'on oslo'],
])('the palette reads “%s”', (text, found, searchText) => expect(read(text)).toEqual([found, searchText]))
