import type { ITheme } from '@xterm/xterm'

const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

/** Terminal colors of the current color scheme. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(`--terminal-${name}`).trim()
  const palette = colors.flatMap((color) => [
    [color, token(color)],
    [`bright${capital(color)}`, token(`bright-${color}`)],
  ])
  return {
    background: token('background'),
    foreground: token('foreground'),
    cursor: token('cursor'),
    cursorAccent: token('background'),
    selectionBackground: token('selection'),
    ...Object.fromEntries(palette),
  }
}

export const terminalFont = () => getComputedStyle(document.documentElement).getPropertyValue('--font-mono').trim()
