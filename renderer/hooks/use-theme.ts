import { useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../api/http.ts'
import { signInQueries } from '../api/sign-in-queries.ts'
import * as t from '../texts.ts'
import { colorSchemeManager, hasChosenColorScheme } from '../styles/preferences.ts'

export const colorSchemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'light', label: t.shell.light },
  { value: 'dark', label: t.shell.dark },
  { value: 'auto', label: t.shell.system },
]

const themeModes = { auto: 'Auto', light: 'Light', dark: 'Dark' } as const

/** Theme of the person, stored on the server; the browser keeps a copy for its first paint. */
export function useTheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const setTheme = (scheme: MantineColorScheme) => {
    setColorScheme(scheme)
    const body = { name: 'theme-mode', value: themeModes[scheme] }
    // Without an answer the theme holds in this browser, until the page loads the stored one.
    api.userPreferences.set({ body }).catch(() => undefined)
  }
  return [colorScheme, setTheme] as const
}

/** Shows the theme of the server to visitors, unless somebody chose one in this browser. */
export function useVisitorTheme(): void {
  const { setColorScheme, clearColorScheme } = useMantineColorScheme()
  const themeMode = useQuery(signInQueries.registration).data?.themeMode
  useEffect(() => {
    const scheme = colorSchemes.find(({ value }) => value === themeMode?.toLowerCase())
    if (!scheme || hasChosenColorScheme()) {
      return
    }
    setColorScheme(scheme.value)
    // The theme of the server is nobody's choice: the next load of the page asks again.
    colorSchemeManager.clear()
    return clearColorScheme
  }, [themeMode, setColorScheme, clearColorScheme])
}
