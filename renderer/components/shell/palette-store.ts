import { createSpotlight } from '@mantine/spotlight'

/** State of the one palette, and its switch. */
export const [paletteStore, paletteSwitch] = createSpotlight()

/** Selects the first entry when none is: Spotlight does it only while somebody types, not when entries come and go. */
export function selectFirstEntry() {
  const entries = [...document.querySelectorAll('[role="dialog"] [data-action]')]
  if (entries[0] && !entries.some((entry) => entry.hasAttribute('data-selected'))) {
    entries[0].setAttribute('data-selected', 'true')
    paletteStore.updateState((state) => ({ ...state, selected: 0 }))
  }
}
