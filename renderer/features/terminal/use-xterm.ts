import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Terminal, type ITheme } from '@xterm/xterm'
import { useEffect, useState, type RefObject } from 'react'
import { currentWidths } from './cell-width.ts'
import type { TerminalSize } from './input-queue.ts'
import { followLinks } from './links.ts'
import { answeringOnce } from './reports.ts'

const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

/** Terminal colors of the current color scheme. */
function terminalTheme(): ITheme {
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

const terminalFont = () => getComputedStyle(document.documentElement).getPropertyValue('--font-mono').trim()

export interface Xterm extends ReturnType<typeof answeringOnce> {
  terminal: Terminal
  search: SearchAddon
  links: ReturnType<typeof followLinks>
  /** Sets the size that another viewer gave the terminal; undefined restores the size of the element. */
  follow: (size: TerminalSize | undefined) => void
}

/** Whether WebGL is hardware-accelerated; software renderers, as in many virtual machines, are slower than the DOM. */
function hasGraphicsCard() {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true })
  const names = gl?.getExtension('WEBGL_debug_renderer_info')
  return gl && names
    ? !/swiftshader|llvmpipe|software/i.test(String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)))
    : false
}

async function drawFast(terminal: Terminal) {
  if (hasGraphicsCard()) {
    const { WebglAddon } = await import('@xterm/addon-webgl')
    const webgl = new WebglAddon()
    webgl.onContextLoss(() => webgl.dispose())
    terminal.loadAddon(webgl)
  }
}

function createXterm(element: HTMLElement, label: string): Xterm & { fit: () => void } {
  const terminal = new Terminal({
    fontFamily: terminalFont(),
    // With less, many fonts draw underscores below the cell, where they are cut off.
    lineHeight: 1.2,
    theme: terminalTheme(),
    minimumContrastRatio: 4.5,
    scrollback: 10_000,
    // Decorations of the search add-on and custom character widths are proposed APIs.
    allowProposedApi: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    macOptionIsMeta: true,
    // The device is untrusted: without `windowOptions` it cannot query the title, which would be returned as typed text.
    // xterm supports neither clipboard sequences (OSC 52) nor answerback.
    windowOptions: {},
  })
  const fitting = new FitAddon()
  const search = new SearchAddon()
  terminal.unicode.register(currentWidths)
  terminal.unicode.activeVersion = currentWidths.version
  terminal.loadAddon(fitting)
  terminal.loadAddon(search)
  terminal.open(element)
  terminal.textarea?.setAttribute('aria-label', label)
  void drawFast(terminal).catch(() => {})
  let isFollowing = false
  return {
    terminal,
    search,
    links: followLinks(terminal),
    ...answeringOnce(terminal),
    fit: () => !isFollowing && fitting.fit(),
    follow(size) {
      isFollowing = size !== undefined
      if (size) {
        terminal.resize(size.columns, size.rows)
      } else {
        fitting.fit()
      }
    },
  }
}

/** xterm that fits its element and follows the colors and the text size of the interface. */
export function useXterm(
  element: RefObject<HTMLDivElement | null>,
  label: string,
  fontSize: number,
): Xterm | undefined {
  const [xterm, setXterm] = useState<ReturnType<typeof createXterm>>()

  useEffect(() => {
    const created = createXterm(element.current!, label)
    setXterm(created)
    const observer = new ResizeObserver(() => created.fit())
    observer.observe(element.current!)
    // The color scheme "system" changes with the operating system.
    const schemes = new MutationObserver(() => (created.terminal.options.theme = terminalTheme()))
    schemes.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
    return () => {
      observer.disconnect()
      schemes.disconnect()
      created.terminal.dispose()
    }
  }, [element, label])

  useEffect(() => {
    if (xterm) {
      xterm.terminal.options.fontSize = fontSize
      xterm.fit()
    }
  }, [xterm, fontSize])
  return xterm
}
