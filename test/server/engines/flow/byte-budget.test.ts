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

test('a key that gets what is left takes half of the total, and leaves a share to each further key (T44)', () => {
  const all = new ByteBudget(100, { principal: 60, tenant: 'left' })
  const open = (principal: string, tenant: string) => all.open({ principal, tenant })
  const [first, second, other] = [open('1', 'large'), open('2', 'large'), open('3', 'small')]
  expect([first.take(40), second.take(11), second.take(10)]).toEqual([undefined, 'tenant', undefined])
  expect([other.take(26), other.take(25), open('4', 'third').take(12)]).toEqual(['tenant', undefined, undefined])
  first.close()
  expect([second.take(1), other.take(1)]).toEqual([undefined, undefined])
})
