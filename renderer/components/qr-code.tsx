import { create } from 'qrcode'
import { useMemo } from 'react'
import classes from './qr-code.module.css'

/** Light border that readers need around the code, in modules. */
const quiet = 4

interface QrCodeProps {
  text: string
  /** Description for screen readers. */
  label: string
  /** In pixels. */
  width: number
}

/** Renders a QR code as one SVG path, so the content security policy needs no exception. */
export function QrCode({ text, label, width }: QrCodeProps) {
  const { size, path } = useMemo(() => {
    const { modules } = create(text, { errorCorrectionLevel: 'M' })
    const dark = [...modules.data.keys()].filter((index) => modules.data[index])
    const squares = dark.map((at) => `M${(at % modules.size) + quiet} ${Math.floor(at / modules.size) + quiet}h1v1h-1z`)
    return { size: modules.size + 2 * quiet, path: squares.join('') }
  }, [text])
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes.code}
      width={width}
      height={width}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  )
}
