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

test('a key that gets what is left, or an equal part, leaves a share to the next key (T44)', () => {
  const all = new ByteBudget(120, { principal: 80, tenant: 'left' })
  const open = (principal: string, tenant: string) => all.open({ principal, tenant })
  const [first, second, other] = [open('1', 'large'), open('2', 'large'), open('3', 'small')]
  expect([first.take(50), second.take(11), second.take(10)]).toEqual([undefined, 'tenant', undefined])
  expect([other.take(41), other.take(40), open('4', 'third').take(21)]).toEqual(['tenant', undefined, 'all'])
  expect(open('4', 'third').take(20)).toBeUndefined()
})

test('a key that gets what is left keeps its equal part while others take more', () => {
  const all = new ByteBudget(120, { tenant: 'left' }, () => 2)
  const [first, second] = [all.open({ tenant: 'a' }), all.open({ tenant: 'b' })]
  expect([first.take(50), second.take(60)]).toEqual([undefined, undefined])
  expect([first.take(11), first.take(10)]).toEqual(['tenant', undefined])
})

test('the only key that gets what is left has the total', () => {
  const all = new ByteBudget(120, { tenant: 'left' }, () => 1)
  expect([all.open({ tenant: 'a' }).take(120), all.open({ tenant: 'a' }).take(1)]).toEqual([undefined, 'all'])
})
