import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Terminal } from '@xterm/xterm'
import { useEffect, useState, type RefObject } from 'react'
import { terminalFont, terminalTheme } from './terminal-theme.ts'

export interface Xterm {
  terminal: Terminal
  search: SearchAddon
  fit: () => void
}

/** Draws with the graphics card where there is one; a software renderer would be slower than the plain one. */
async function drawFast(terminal: Terminal) {
  const hasCard = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true }) !== null
  if (hasCard) {
    const { WebglAddon } = await import('@xterm/addon-webgl')
    const webgl = new WebglAddon()
    webgl.onContextLoss(() => webgl.dispose())
    terminal.loadAddon(webgl)
  }
}

function createXterm(element: HTMLElement, label: string): Xterm {
  const terminal = new Terminal({
    fontFamily: terminalFont(),
    theme: terminalTheme(),
    minimumContrastRatio: 4.5,
    scrollback: 10_000,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    macOptionIsMeta: true,
    // The device is not trusted: its links do nothing, and without `windowOptions` it cannot ask for the title, which
    // would come back as typed text. xterm has neither a clipboard sequence (OSC 52) nor an answer-back of its own.
    linkHandler: { activate: () => {}, allowNonHttpProtocols: false },
    windowOptions: {},
  })
  const fitting = new FitAddon()
  const search = new SearchAddon()
  terminal.loadAddon(fitting)
  terminal.loadAddon(search)
  terminal.open(element)
  terminal.textarea?.setAttribute('aria-label', label)
  void drawFast(terminal)
  return { terminal, search, fit: () => fitting.fit() }
}

/** An xterm in an element, as large as the element, in the colours and the text size of the interface. */
export function useXterm(element: RefObject<HTMLDivElement | null>, label: string, fontSize: number) {
  const [xterm, setXterm] = useState<Xterm>()

  useEffect(() => {
    const created = createXterm(element.current!, label)
    setXterm(created)
    const observer = new ResizeObserver(() => created.fit())
    observer.observe(element.current!)
    // "System" may change without this page having a hand in it.
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
