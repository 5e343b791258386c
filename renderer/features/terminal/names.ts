import type { Tab } from './tabs.ts'
import type { TerminalState } from './session-types.ts'

/** Last segment of a program's path, without `.exe`, for paths of any system. */
export const shellName = (shell: string) => (shell.split(/[/\\]/).at(-1) ?? shell).replace(/\.exe$/i, '')

/** Title set by the shell, else the shell's name and a number. */
export const paneName = (state: TerminalState | undefined, number: number) =>
  state?.title || `${shellName(state?.facts?.shell ?? '')} ${number}`.trim()

/** Name set by the user, else the name of the tab's terminal. */
export const tabName = ({ id, name, pane }: Tab, states: Readonly<Record<number, TerminalState | undefined>>) =>
  name ?? paneName(states[pane], id)
