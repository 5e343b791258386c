import type { Tab } from './tabs.ts'
import type { TerminalState } from './session-types.ts'

/** The last part of a program's path, without `.exe`; paths of other systems too. */
export const shellName = (shell: string) => (shell.split(/[/\\]/).at(-1) ?? shell).replace(/\.exe$/i, '')

/** Title that the shell gave its terminal, else the shell and a number. */
export const paneName = (state: TerminalState | undefined, number: number) =>
  state?.title || `${shellName(state?.facts?.shell ?? '')} ${number}`.trim()

/** Name that the person gave a tab, else the name of its terminal. */
export const tabName = ({ id, name, pane }: Tab, states: Readonly<Record<number, TerminalState | undefined>>) =>
  name ?? paneName(states[pane], id)
