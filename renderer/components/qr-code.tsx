import { create } from 'qrcode'
import { useMemo } from 'react'

/** Light modules around the code, without which readers do not find it. */
const quiet = 4

interface QrCodeProps {
  text: string
  /** What it is, for people who do not see it. */
  label: string
  className?: string | undefined
}

/** A QR code as one path: nothing that the content security policy would have to allow. */
export function QrCode({ text, label, className }: QrCodeProps) {
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
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  )
}
