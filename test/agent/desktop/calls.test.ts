import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Calls, CallTimeout, type CallHandlers } from '../../../agent/desktop/calls.ts'
import { manualClock } from '../support.ts'

const table = {
  double: { args: z.object({ number: z.number() }), result: z.number() },
  wait: { args: z.object({}), result: z.null() },
}

function connect(handlers: Partial<CallHandlers<typeof table>> = {}) {
  const clock = manualClock()
  const sent: unknown[] = []
  const all: CallHandlers<typeof table> = {
    double: ({ number }) => number * 2,
    wait: () => new Promise<null>(() => {}),
    ...handlers,
  }
  const none = { double: () => 0, wait: () => null }
  const near = new Calls({
    clock,
    asks: table,
    answers: table,
    handlers: none,
    send: (message) => far.receive(JSON.parse(JSON.stringify(message))),
  })
  const far: Calls<typeof table, typeof table> = new Calls({
    clock,
    asks: table,
    answers: table,
    handlers: all,
    send(message) {
      sent.push(message)
      near.receive(JSON.parse(JSON.stringify(message)))
    },
  })
  return { clock, near, far, sent }
}

describe('calls between two processes', () => {
  test('are answered, or rejected with the reason', async () => {
    const { near } = connect()
    expect(await near.ask('double', { number: 21 }, 1000)).toBe(42)
    const failing = connect({ double: () => Promise.reject(new Error('Not today.')) })
    await expect(failing.near.ask('double', { number: 1 }, 1000)).rejects.toThrow('Not today.')
  })

  test('without an answer time out, and reject at once when the channel closes', async () => {
    const { near, clock } = connect()
    const asked = near.ask('wait', {}, 1000)
    clock.advance(1000)
    await expect(asked).rejects.toThrow(CallTimeout)
    const waiting = near.ask('wait', {}, 1000)
    near.close('Over.')
    await expect(waiting).rejects.toThrow('Over.')
    await expect(near.ask('double', { number: 1 }, 1000)).rejects.toThrow('Over.')
  })

  test('with malformed arguments or answers are rejected', async () => {
    const { near, far, sent } = connect({ double: () => 'many' as unknown as number })
    await expect(near.ask('double', { number: 1 }, 1000)).rejects.toThrow('is malformed')
    sent.length = 0
    for (const nonsense of [null, 'x', { call: 'one' }, { answer: 99, result: 1 }, { call: 1.5, name: 'double' }]) {
      far.receive(nonsense)
    }
    far.receive({ call: 1, name: 'double', args: { number: 'x' } })
    far.receive({ call: 2, name: '__proto__', args: {} })
    far.receive({ call: 3, name: 'toString', args: {} })
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toEqual([
      { answer: 1, problem: 'The call "double" is malformed.' },
      { answer: 2, problem: 'There is no call "__proto__".' },
      { answer: 3, problem: 'There is no call "toString".' },
    ])
  })

  test('beyond the limit are rejected, and the channel stays usable', async () => {
    const { far, sent } = connect()
    for (let call = 1; call <= 70; call++) {
      far.receive({ call, name: 'wait', args: {} })
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toHaveLength(6)
    expect(sent[0]).toEqual({ answer: 65, problem: 'Too many calls are running.' })
  })
})
