import { WebLinksAddon } from '@xterm/addon-web-links'
import type { Terminal } from '@xterm/xterm'
import { Store } from '../viewer-kit/store.ts'

/** Web addresses in the output of a device: untrusted. */
interface LinkState {
  hovered: string | undefined
  /** Address that waits for confirmation. */
  asked: string | undefined
}

const isWebAddress = (address: string) => ['http:', 'https:'].includes(URL.parse(address)?.protocol ?? '')

/** Follows the links of a terminal, by OSC 8 and in plain text. Ctrl+click asks for confirmation; nothing opens (T18). */
export function followLinks(terminal: Terminal): Store<LinkState> {
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
