import type { Tab } from './tabs.ts'
import type { PaneStatus } from './use-terminal-session.ts'

/** The last part of a program's path, without `.exe`; paths of other systems too. */
export const shellName = (shell: string) => (shell.split(/[/\\]/).at(-1) ?? shell).replace(/\.exe$/i, '')

/** What a terminal calls itself: the title that the shell gave it, else the shell and a number. */
export const paneName = (status: PaneStatus | undefined, number: number) =>
  status?.title || `${shellName(status?.facts?.shell ?? '')} ${number}`.trim()

/** The name that the person gave a tab, else what its terminal calls itself. */
export const tabName = ({ id, name, pane }: Tab, statuses: Readonly<Record<number, PaneStatus>>) =>
  name ?? paneName(statuses[pane], id)
