import { expect, test } from 'vitest'
import { deviceVerbs, readRequest } from '../../../renderer/shell/device-verbs.ts'

const read = (text: string) => {
  const { verbs, searchText } = readRequest(text, deviceVerbs)
  return [verbs.map(({ key }) => key), searchText]
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
])('the palette reads “%s”', (text, verbs, searchText) => expect(read(text)).toEqual([verbs, searchText]))
