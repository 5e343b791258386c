import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import classes from './settings-area.module.css'

interface SettingsAreaProps {
  label: string
  parts: readonly { path: string; label: string }[]
  children: ReactNode
}

/** A settings page in parts, each with an address of its own: the list of parts, and the open one. */
export const SettingsArea = ({ label, parts, children }: SettingsAreaProps) => (
  <div className={classes.area}>
    <nav className={classes.parts} aria-label={label}>
      {parts.map((part) => (
        <NavLink key={part.path} to={part.path} end className={classes.part!}>
          {part.label}
        </NavLink>
      ))}
    </nav>
    <div className={classes.content}>{children}</div>
  </div>
)
