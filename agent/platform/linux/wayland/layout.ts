import { runTool } from '../../../base/run-tool.ts'
import { nativeFunctions } from '../../../base/native-functions.ts'
import type { Pointer } from './gio.ts'

const xkb = nativeFunctions((koffi) => {
  const library = koffi.load('libxkbcommon.so.0')
  const names = koffi.struct('FarhandXkbNames', {
    rules: 'str',
    model: 'str',
    layout: 'str',
    variant: 'str',
    options: 'str',
  })
  void names
  return {
    context: library.func('void *xkb_context_new(int flags)') as (flags: number) => Pointer,
    keymap: library.func('void *xkb_keymap_new_from_names(void *context, FarhandXkbNames *names, int flags)') as (
      context: Pointer,
      names: Record<string, string | null>,
      flags: number,
    ) => Pointer,
    unrefContext: library.func('void xkb_context_unref(void *context)') as (context: Pointer) => void,
    unrefKeymap: library.func('void xkb_keymap_unref(void *keymap)') as (keymap: Pointer) => void,
    first: library.func('uint32 xkb_keymap_min_keycode(void *keymap)') as (keymap: Pointer) => number,
    last: library.func('uint32 xkb_keymap_max_keycode(void *keymap)') as (keymap: Pointer) => number,
    levels: library.func('uint32 xkb_keymap_num_levels_for_key(void *keymap, uint32 key, uint32 layout)') as (
      keymap: Pointer,
      key: number,
      layout: number,
    ) => number,
    symbols: library.func(
      'int xkb_keymap_key_get_syms_by_level(void *keymap, uint32 key, uint32 layout, uint32 level, _Out_ void **symbols)',
    ) as (keymap: Pointer, key: number, layout: number, level: number, symbols: [Pointer]) => number,
    keysymAt: (symbols: Pointer) => koffi.decode(symbols, 'uint32') as number,
  }
})

/** Returns the keysyms that a layout such as `de+neo` has on its keys. */
export async function keysymsOfLayout(name: string): Promise<ReadonlySet<number>> {
  const api = await xkb()
  const [layout = 'us', variant = ''] = name.split('+')
  const context = api.context(0)
  const keymap = api.keymap(context, { rules: null, model: null, layout, variant, options: null }, 0)
  const found = new Set<number>()
  if (keymap) {
    for (let key = api.first(keymap); key <= api.last(keymap); key++) {
      for (let level = 0; level < api.levels(keymap, key, 0); level++) {
        const symbols: [Pointer] = [null]
        if (api.symbols(keymap, key, 0, level, symbols) > 0) {
          found.add(api.keysymAt(symbols[0]))
        }
      }
    }
    api.unrefKeymap(keymap)
  }
  api.unrefContext(context)
  return found
}

/** Name of the layout that GNOME uses at present; `us` if it uses the system's default. */
export async function currentLayout(): Promise<string> {
  for (const key of ['mru-sources', 'sources']) {
    const sources = await runTool('gsettings', 'get', 'org.gnome.desktop.input-sources', key)
    const layout = /\('xkb', '([^']+)'\)/.exec(sources)?.[1]
    if (layout !== undefined) {
      return layout
    }
  }
  return 'us'
}
