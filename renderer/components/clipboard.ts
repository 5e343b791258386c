// Browsers offer `navigator.clipboard` on https and localhost only; on a plain address of the LAN the old way still works.
function copyBySelection(text: string) {
  const area = document.createElement('textarea')
  const focused = document.activeElement
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  ;(document.querySelector('[role="dialog"]') ?? document.body).append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) {
    focused.focus()
  }
  return isCopied
}

/** Puts text on the clipboard; false when the browser refuses. */
export async function copyText(text: string) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}
