/** What the compiler refuses; `npm run check` compiles this file, and a line that is not refused fails it. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { HandlersExcept } from '../../agent/handlers.ts'
import { defineHub, handleHub } from '../../shared/contract/hub.ts'

const hub = defineHub({
  path: '/hubs/sample',
  access: 'anonymous',
  methods: {},
  client: {
    Greet: { summary: 'Greets.', args: [z.string()], returns: z.string() },
    Leave: { summary: 'Leaves.', args: [] },
    Sing: { summary: 'Sings.', args: [] },
  },
})
type Handlers = HandlersExcept<typeof hub, 'Sing'>

const greet = (name: string) => `Hello ${name}`
const leave = () => {}

test('handlers of all methods but the listed ones compile, and only these are registered', () => {
  const handlers: Handlers = { Greet: greet, Leave: leave }
  const registered: string[] = []
  handleHub(hub, { on: (method) => void registered.push(method) }, handlers)
  expect(registered).toEqual(['Greet', 'Leave'])
})

test('a method of the hub without a handler and without a row does not compile', () => {
  // @ts-expect-error Leave is missing.
  const handlers: Handlers = { Greet: greet }
  expect(handlers).toBeDefined()
})

test('a row for a method that has a handler does not compile, wherever the handlers were written', () => {
  const everything = { Greet: greet, Leave: leave, Sing: leave }
  // @ts-expect-error Sing is listed as missing.
  const handlers: Handlers = everything
  expect(handlers).toBeDefined()
})

test('a row that is no method of the hub does not compile', () => {
  // @ts-expect-error There is no Dance.
  const handlers: HandlersExcept<typeof hub, 'Sing' | 'Dance'> = { Greet: greet, Leave: leave }
  expect(handlers).toBeDefined()
})

test('a handler that answers something else than declared does not compile', () => {
  // @ts-expect-error Greet answers a text.
  const handlers: Handlers = { Greet: () => 5, Leave: leave }
  expect(handlers).toBeDefined()
})
