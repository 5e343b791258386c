import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal, type ITheme } from '@xterm/xterm'
import { Store } from '../viewer-kit/store.ts'
import { currentWidths } from './cell-width.ts'
import type { TerminalSize } from './session-types.ts'

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

const terminalFont = () => getComputedStyle(document.documentElement).getPropertyValue('--font-mono').trim()

/** Web addresses in the output of a device: untrusted. */
interface LinkState {
  hovered: string | undefined
  /** Address that waits for confirmation. */
  asked: string | undefined
}

export interface Xterm {
  terminal: Terminal
  search: SearchAddon
  links: Store<LinkState>
  /** Writes text. `isPast`: the program that asked a query in the text has had its answer. */
  write: (text: string, onDrawn: () => void, isPast?: boolean) => void
  /** Whether data of xterm answers a query in past output. */
  isOldAnswer: (data: string) => boolean
  /** Whether data of xterm answers a query of a program. */
  isReport: (data: string) => boolean
  /** Sets the size that another viewer gave the terminal; undefined restores the size of the element. */
  follow: (size: TerminalSize | undefined) => void
}

const isWebAddress = (address: string) => ['http:', 'https:'].includes(URL.parse(address)?.protocol ?? '')

/** Follows the links of a terminal, by OSC 8 and in plain text. Ctrl+click asks for confirmation; nothing opens (T18). */
function followLinks(terminal: Terminal): Store<LinkState> {
  const store = new Store<LinkState>({ hovered: undefined, asked: undefined })
  const ask = ({ ctrlKey, metaKey }: MouseEvent, asked: string) => {
    if ((ctrlKey || metaKey) && isWebAddress(asked)) {
      store.update({ asked, hovered: undefined })
    }
  }
  const pointer = {
    hover: (_: MouseEvent, hovered: string) => store.update({ hovered: isWebAddress(hovered) ? hovered : undefined }),
    leave: () => store.update({ hovered: undefined }),
  }
  terminal.options.linkHandler = { activate: ask, allowNonHttpProtocols: false, ...pointer }
  terminal.loadAddon(new WebLinksAddon(ask, pointer))
  return store
}

/** Answers of xterm to a program's queries (device attributes, cursor position, modes, colors), and focus reports. */
const report = /^\x1b(?:\[[?>=]?[\d;]*(?:[cnRtuxIO]|\$y)|[\]P_])/

const focusReport = /^\x1b\[[IO]/

/** Recognizes answers to queries in past output: a shell would take a second answer as typed. */
function answeringOnce(terminal: Terminal): Pick<Xterm, 'write' | 'isOldAnswer' | 'isReport'> {
  let past = 0
  return {
    write(text, onDrawn, isPast) {
      if (isPast) {
        terminal.write('', () => past++)
      }
      terminal.write(text, () => {
        past -= isPast ? 1 : 0
        onDrawn()
      })
    },
    isOldAnswer: (data) => past > 0 && report.test(data),
    isReport: (data) => report.test(data) && !focusReport.test(data),
  }
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

/** Opens xterm in an element. */
export function createXterm(element: HTMLElement, label: string): Xterm & { fit: () => void } {
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
