// Runs before the first paint, so that neither colors nor row heights change after it. A file, because the content
// security policy refuses inline scripts. The keys are those of styles/preferences.ts.
;(() => {
  const root = document.documentElement
  const read = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const scheme = read('farhand.color-scheme')
  const isDark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
  root.setAttribute('data-density', read('farhand.density') === '"comfortable"' ? 'comfortable' : 'compact')
})()
