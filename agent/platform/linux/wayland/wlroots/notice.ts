import type { Notice } from '../../../desktop/desktop.ts'
import { type NoticePicture, renderNotice } from '../../../desktop/notice-picture.ts'
import type { Connection, WaylandObject } from './connection.ts'
import type { Outputs } from './outputs.ts'
import { layerShell, layerSurface, wlCompositor, wlPointer, type wlSeat, wlShm, wlSurface } from './protocol.ts'
import { SharedBuffer } from './shared-buffer.ts'

const overlay = 3
const edges = { top: 1, bottom: 2 } as const
/** Beside panels, rather than below or above them, would move with them. */
const ignorePanels = -1
const opaqueFormat = 1
const pressed = 1
const bytesPerPixel = 4
/** Delay before another try: while there is no output, compositors close each new surface. */
const reopenMs = 500

interface NoticeDependencies {
  connection: Connection
  seat: WaylandObject<typeof wlSeat>
  outputs: Outputs
}

interface SurfaceEvents {
  /** Called when the person clicks the label. */
  onEnd: () => void
  /** Called when the surface is no longer shown, because its output is gone. */
  onGone: () => void
}

/** Surface above all windows that takes no keys. Returns a function that closes it. */
function openSurface(
  { connection, seat, outputs }: NoticeDependencies,
  { width, height, pixels, endX }: NoticePicture,
  { onEnd, onGone }: SurfaceEvents,
): () => void {
  const [compositor, shm, layers] = [connection.bind(wlCompositor), connection.bind(wlShm), connection.bind(layerShell)]
  let output = 0
  const surface = connection.create(wlSurface, {
    enter: (entered) => {
      output = entered
    },
  })
  compositor.request('create_surface', surface.id)
  const shape = { format: opaqueFormat, width, height, stride: width * bytesPerPixel }
  const buffer = new SharedBuffer(connection, shm, shape)
  buffer.write(pixels)
  let edge: keyof typeof edges = 'top'
  const layer = connection.create(layerSurface, {
    configure: (serial) => {
      layer.request('ack_configure', serial)
      surface.request('attach', buffer.object.id, 0, 0)
      surface.request('damage', 0, 0, width, height)
      surface.request('commit')
    },
    closed: onGone,
  })
  layers.request('get_layer_surface', layer.id, surface.id, 0, overlay, 'farhand')
  layer.request('set_size', width, height)
  layer.request('set_anchor', edges[edge])
  layer.request('set_exclusive_zone', ignorePanels)
  surface.request('commit')

  let at = { surface: 0, x: 0 }
  const pointer = connection.create(wlPointer, {
    enter: (_, entered, x) => {
      at = { surface: entered, x }
    },
    leave: () => {
      at = { surface: 0, x: 0 }
    },
    motion: (_, x) => {
      at = { ...at, x }
    },
    button: (...values) => {
      if (at.surface !== surface.id || values[3] !== pressed) {
        return
      }
      if (at.x >= endX) {
        onEnd()
      } else {
        // A click elsewhere moves the notice, so that the notice hides nothing permanently.
        edge = edge === 'top' ? 'bottom' : 'top'
        layer.request('set_anchor', edges[edge])
        surface.request('commit')
      }
    },
  })
  seat.request('get_pointer', pointer.id)
  // sway 1.10 reports neither the end of the surface nor that it left its output.
  const stopWatching = outputs.watchRemoved((removed) => {
    if (removed === output) {
      onGone()
    }
  })
  return () => {
    stopWatching()
    pointer.request('release')
    connection.forget(pointer)
    layer.request('destroy')
    connection.forget(layer)
    surface.request('destroy')
    connection.forget(surface)
    buffer.close()
  }
}

/** Shows `text` at the upper edge of the screen, beside `label`; a click on the label ends the sessions. */
export function showNotice(deps: NoticeDependencies, text: string, label: string, onEnd: () => void): Notice {
  let close = () => {}
  let isClosed = false
  let reopening: NodeJS.Timeout | undefined
  const open = (picture: NoticePicture) => {
    if (!isClosed && deps.connection.isOpen) {
      const onGone = () => {
        close()
        close = () => {}
        reopening = setTimeout(open, reopenMs, picture)
      }
      close = openSurface(deps, picture, { onEnd, onGone })
    }
  }
  void renderNotice(text, label).then(open, () => undefined)
  return {
    close() {
      isClosed = true
      clearTimeout(reopening)
      if (deps.connection.isOpen) {
        close()
      }
      close = () => {}
    },
  }
}
