import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Terminal } from '@xterm/xterm'
import { useEffect, useState, type RefObject } from 'react'
import { currentWidths } from './cell-width.ts'
import type { TerminalSize } from './input-queue.ts'
import { terminalFont, terminalTheme } from './terminal-theme.ts'

export interface Xterm {
  terminal: Terminal
  search: SearchAddon
  /** Takes a size that another viewer gave the terminal; undefined: that of its own place again. */
  follow: (size: TerminalSize | undefined) => void
}

/** Whether a graphics card draws; a software renderer (as in many virtual machines) is slower than none. */
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
    // The search add-on marks what it finds with decorations, which xterm still calls proposed, as it does widths.
    allowProposedApi: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    macOptionIsMeta: true,
    // The device is not trusted: its links do nothing, and without `windowOptions` it cannot ask for the title, which
    // would come back as typed text. xterm has neither a clipboard sequence (OSC 52) nor an answer-back of its own.
    linkHandler: { activate: () => {}, allowNonHttpProtocols: false },
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

/** An xterm in an element, as large as the element, in the colours and the text size of the interface. */
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
