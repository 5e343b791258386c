import type { Terminal } from '@xterm/xterm'

/** Answers of xterm to a program's queries (device attributes, cursor position, modes, colors), and focus reports. */
const report = /^\x1b(?:\[[?>=]?[\d;]*(?:[cnRtuxIO]|\$y)|[\]P_])/

/**
 * Writes to xterm, and recognizes its answers to queries in past output: the programs that asked have had theirs, and a
 * shell would take an answer as typed.
 */
export function answeringOnce(terminal: Pick<Terminal, 'write'>) {
  let past = 0
  return {
    write(text: string, onDrawn: () => void, isPast?: boolean) {
      if (isPast) {
        terminal.write('', () => past++)
      }
      terminal.write(text, () => {
        past -= isPast ? 1 : 0
        onDrawn()
      })
    },
    isOldAnswer: (data: string) => past > 0 && report.test(data),
  }
}
