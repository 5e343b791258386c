import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

interface FactProps {
  label: ReactNode
  /** Class of the value. */
  className?: string
  /** Text of a copy button behind the value. */
  copy?: string | undefined
  children: ReactNode
}

/** Name and value in a description list. */
export const Fact = ({ label, className, copy, children }: FactProps) => (
  <>
    <dt>{label}</dt>
    <dd className={className}>
      {children}
      {copy && <CopyButton text={copy} />}
    </dd>
  </>
)
