const attribute = 'data-mantine-color-scheme'

/** Prints in the light colors, whatever the screen shows: paper is white. */
export function printInLight(): void {
  const root = document.documentElement
  let shown: string | undefined
  addEventListener('beforeprint', () => {
    shown ??= root.getAttribute(attribute) ?? 'light'
    root.setAttribute(attribute, 'light')
  })
  addEventListener('afterprint', () => {
    root.setAttribute(attribute, shown ?? 'light')
    shown = undefined
  })
}
