import { useLocalStorage } from '@mantine/hooks'
import { localStorageColorSchemeManager } from '@mantine/core'
import { useEffect } from 'react'

// public/before-paint.js reads both keys before this code is loaded.
const colorSchemeKey = 'farhand.color-scheme'
const stored = localStorageColorSchemeManager({ key: colorSchemeKey })
export const colorSchemeManager = {
  ...stored,
  clear() {
    try {
      stored.clear()
    } catch {
      // A browser that blocks storage keeps nothing.
    }
  },
}

/** Whether somebody chose a theme in this browser. One that blocks storage keeps no choice. */
export function hasChosenColorScheme() {
  try {
    return localStorage.getItem(colorSchemeKey) !== null
  } catch {
    return false
  }
}

const densityKey = 'farhand.density'

export type Density = 'compact' | 'comfortable'

export const rowHeights = { compact: 36, comfortable: 44 } as const

/** Something this browser remembers, under the product's own prefix; kept in step between tabs. */
export const usePreference = <T>(key: string, defaultValue: T) =>
  useLocalStorage<T>({ key: `farhand.${key}`, defaultValue, getInitialValueInEffect: false })

/** Row heights and text size; written to the document for the style sheets. */
export function useDensity() {
  const [density, setDensity] = useLocalStorage<Density>({
    key: densityKey,
    defaultValue: 'compact',
    getInitialValueInEffect: false,
  })
  useEffect(() => document.documentElement.setAttribute('data-density', density), [density])
  return [density, setDensity] as const
}
