import { IconChevronLeft } from '@tabler/icons-react'
import { TextLink } from './links.tsx'
import classes from './back-link.module.css'

interface BackLinkProps {
  to: string
  /** Title of the list. */
  children: string
  className?: string | undefined
}

/** Link above the title of one thing, to the list that it is in. */
export const BackLink = ({ to, children, className = '' }: BackLinkProps) => (
  <TextLink to={to} className={`${classes.back} ${className}`}>
    <IconChevronLeft size={14} aria-hidden />
    {children}
  </TextLink>
)
