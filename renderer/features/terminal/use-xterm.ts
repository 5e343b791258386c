import { useEffect, useState, type RefObject } from 'react'
import type * as xtermCode from './xterm.ts'
import type { createXterm, Xterm } from './xterm.ts'

/** Loads xterm with the first terminal: it is a sixth of the code of a page, and most pages have no terminal. */
function useXtermCode(): typeof xtermCode | undefined {
  const [code, setCode] = useState<typeof xtermCode>()
  useEffect(() => {
    import('./xterm.ts').then(setCode, (error: unknown) =>
      // Thrown while rendering, a failure reaches the page that offers to load again.
      setCode(() => {
        throw error
      }),
    )
  }, [])
  return code
}

/** xterm that fits its element and follows the colors and the text size of the interface. */
export function useXterm(
  element: RefObject<HTMLDivElement | null>,
  label: string,
  fontSize: number,
): Xterm | undefined {
  const code = useXtermCode()
  const [xterm, setXterm] = useState<ReturnType<typeof createXterm>>()

  useEffect(() => {
    if (!code) {
      return
    }
    const created = code.createXterm(element.current!, label)
    setXterm(created)
    const observer = new ResizeObserver(() => created.fit())
    observer.observe(element.current!)
    // The color scheme "system" changes with the operating system.
    const schemes = new MutationObserver(() => (created.terminal.options.theme = code.terminalTheme()))
    schemes.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
    return () => {
      observer.disconnect()
      schemes.disconnect()
      created.terminal.dispose()
    }
  }, [code, element, label])

  useEffect(() => {
    if (xterm) {
      xterm.terminal.options.fontSize = fontSize
      xterm.fit()
    }
  }, [xterm, fontSize])
  return xterm
}
