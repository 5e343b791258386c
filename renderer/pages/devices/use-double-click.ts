import { useRef, type MouseEvent } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'

/** Index of the row in which an event began, if it began in one. */
export function rowIndexOf({ target }: MouseEvent): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  return row ? Number(row.dataset.index) : undefined
}

/**
 * Handler for the capture phase of clicks in list and details: a double click opens the device of the first click.
 * The details that the first click shows may lie under the second one, which must not press their buttons.
 */
export function useDoubleClick(rows: ReadonlyMap<number, DeviceResponseDto>, onOpen: (deviceId: string) => void) {
  const firstClicked = useRef<string>(undefined)
  return (event: MouseEvent) => {
    if (event.detail === 1) {
      const isControl = event.target instanceof Element && event.target.closest('input, button, a')
      firstClicked.current = isControl ? undefined : rows.get(rowIndexOf(event) ?? -1)?.id
    } else if (event.detail === 2 && firstClicked.current) {
      event.stopPropagation()
      event.preventDefault()
      onOpen(firstClicked.current)
    }
  }
}
