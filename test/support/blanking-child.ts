/** Blanks the screens of the display in its argument, and prints each state in a line. */
import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'

const desktop = await openX11Desktop({ display: process.argv[2] ?? '' })
const print = (line: string) => void process.stdout.write(`${line}\n`)
desktop.blankScreens.onEnd = print
print(String(await desktop.blankScreens.set(true)))
