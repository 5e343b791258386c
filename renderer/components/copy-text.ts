// `navigator.clipboard` exists only on https and localhost; `execCommand` also works on plain http addresses of the
// LAN.
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

/** Copies text to the clipboard; false when the browser denies it. */
export async function copyText(text: string) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}
