import { tabStorage } from '../../api/storage.ts'
import type { TerminalKind } from './session-types.ts'

const keyOf = (place: string) => `farhand.terminal.${place}`
const linePrefix = 'line:'

/** Storage place of a pane on a device. */
export const placeOf = (deviceId: string, pane: number) => `${deviceId}.${pane}`

/** Last terminal opened at a place. Only pseudo-terminals can be reattached. */
export function rememberedTerminal(place: string): { id: string; kind: TerminalKind } | undefined {
  const kept = tabStorage.get(keyOf(place))
  return kept === null
    ? undefined
    : kept.startsWith(linePrefix)
      ? { id: kept.slice(linePrefix.length), kind: 'line' }
      : { id: kept, kind: 'pty' }
}

export const rememberTerminal = (place: string, terminalId: string, kind: TerminalKind = 'pty') =>
  tabStorage.set(keyOf(place), kind === 'line' ? linePrefix + terminalId : terminalId)

export const forgetTerminal = (place: string) => tabStorage.remove(keyOf(place))
