import { createSpotlight } from '@mantine/spotlight'
import { openForTyping } from '../components/open-for-typing.ts'

const [store, spotlight] = createSpotlight()

/** State of the palette. */
export const paletteStore = store

export const openPalette = () => openForTyping(spotlight.open)

export function togglePalette() {
  if (store.getState().opened) {
    spotlight.close()
  } else {
    openPalette()
  }
}

/** Selects the first entry if none is: Spotlight selects one after typing only, not when entries change. */
export function selectFirstEntry() {
  const entries = [...document.querySelectorAll('[role="dialog"] [data-action]')]
  if (entries[0] && !entries.some((entry) => entry.hasAttribute('data-selected'))) {
    entries[0].setAttribute('data-selected', 'true')
    paletteStore.updateState((state) => ({ ...state, selected: 0 }))
  }
}
