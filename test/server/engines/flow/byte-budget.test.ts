import { expect, test } from 'vitest'
import { ByteBudget } from '../../../../server/engines/flow/byte-budget.ts'

const budget = () => new ByteBudget(100, { principal: 60, device: 40 })

test('a full share rejects bytes and names its kind', () => {
  const bytes = budget().open({ principal: 'p', device: 'd' })
  expect([bytes.take(40), bytes.take(1), bytes.bytes]).toEqual([undefined, 'device', 40])
})

test('a full share leaves room for other keys until the total is full', () => {
  const all = budget()
  const [first, second, third] = ['1', '2', '3'].map((key) => all.open({ principal: key, device: key }))
  expect([first!.take(40), second!.take(40), third!.take(21), third!.take(20)]).toEqual([
    undefined,
    undefined,
    'all',
    undefined,
  ])
})

test('bytes of one key are counted together and released when closed', () => {
  const all = budget()
  const [first, second] = ['1', '2'].map((device) => all.open({ principal: 'p', device }))
  expect([first!.take(40), second!.take(30)]).toEqual([undefined, 'principal'])
  first!.give(10)
  expect([second!.take(30), all.used]).toEqual([undefined, 60])
  first!.close()
  first!.close()
  second!.close()
  expect(all.used).toBe(0)
})
