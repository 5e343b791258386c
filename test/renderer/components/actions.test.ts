import { expect, test } from 'vitest'
import {
  findAction,
  matchesShortcut,
  runShortcut,
  shownKeys,
  type Action,
  type KeyPress,
} from '../../../renderer/components/actions.ts'

const plain: KeyPress = { key: '', code: '', ctrlKey: false, altKey: false, shiftKey: false, metaKey: false }
const host = { ...plain, ctrlKey: true, altKey: true, shiftKey: true }

test('a shortcut with Alt matches by position, because Alt changes the character', () => {
  expect(matchesShortcut('Ctrl+Alt+Shift+F', { ...host, key: 'ƒ', code: 'KeyF' })).toBe(true)
  expect(matchesShortcut('Ctrl+Alt+Shift+2', { ...host, key: '@', code: 'Digit2' })).toBe(true)
  expect(matchesShortcut('Ctrl+Alt+Shift+9', { ...host, code: 'Numpad9' })).toBe(true)
  expect(matchesShortcut('Alt+Shift+-', { ...plain, altKey: true, shiftKey: true, key: '_', code: 'Minus' })).toBe(true)
  expect(matchesShortcut('Alt+Shift++', { ...plain, altKey: true, shiftKey: true, key: '+' })).toBe(true)
})

test('a shortcut without Alt matches by character, whatever the layout', () => {
  const copy = { ...plain, ctrlKey: true, shiftKey: true, key: 'C', code: 'KeyI' }
  expect(matchesShortcut('Ctrl+Shift+C', copy)).toBe(true)
  expect(matchesShortcut('Ctrl+Shift+I', copy)).toBe(false)
})

test('a shortcut needs exactly its modifiers, but Shift for a sign or a digit', () => {
  expect(matchesShortcut('Ctrl+Alt+Shift+F', { ...host, shiftKey: false, code: 'KeyF' })).toBe(false)
  expect(matchesShortcut('Ctrl+Alt+Shift+F', { ...host, metaKey: true, code: 'KeyF' })).toBe(false)
  expect(matchesShortcut('Ctrl++', { ...plain, ctrlKey: true, shiftKey: true, key: '+' })).toBe(true)
  expect(matchesShortcut('Ctrl+0', { ...plain, ctrlKey: true, shiftKey: true, key: '0' })).toBe(true)
  expect(matchesShortcut('Ctrl+A', { ...plain, ctrlKey: true, shiftKey: true, key: 'A' })).toBe(false)
})

test('a key press runs its action only while the action is offered and enabled', () => {
  const ran: unknown[] = []
  const actions: Action<{ canRun: boolean }>[] = [
    {
      name: 'step',
      label: 'Step',
      keys: ['Alt+PageUp', 'Alt+PageDown'],
      keysLabel: 'Alt+PgUp PgDn',
      isDisabled: ({ canRun }) => !canRun,
      run: (_, key) => ran.push(key),
    },
  ]
  const press = { ...plain, altKey: true, key: 'PageDown', code: 'PageDown' }
  expect(runShortcut(actions, press, { canRun: false })).toBe(true)
  expect(runShortcut(actions, press, { canRun: true })).toBe(true)
  expect(runShortcut(actions, { ...press, key: 'Home', code: 'Home' }, { canRun: true })).toBe(false)
  expect(ran).toEqual(['Alt+PageDown'])
  expect(findAction(actions, press)?.action.name).toBe('step')
  expect(shownKeys(actions[0]!)).toEqual(['Alt', 'PgUp', 'PgDn'])
})

test('the plus key is shown as the last key of its shortcut', () => {
  expect(shownKeys({ name: '', label: '', keys: ['Alt+Shift++'], run: () => {} })).toEqual(['Alt', 'Shift', '+'])
  expect(shownKeys({ name: '', label: '', keys: ['Ctrl+Shift+ArrowUp'], run: () => {} })).toEqual([
    'Ctrl',
    'Shift',
    '↑',
  ])
})
