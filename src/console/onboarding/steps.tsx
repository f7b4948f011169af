import type { JSX } from 'preact';

const steps = ['Account', 'Organization', 'Code host', 'First chart'];

/** How far the onboarding has come. @param current 0: the organization is next; 1: the code host */
export function Steps({ current }: { current: 0 | 1 }): JSX.Element {
  const at = current + 1;
  return (
    <ol class="steps">
      {steps.map((step, index) => (
        <li key={step} data-state={index < at ? 'done' : 'open'} aria-current={index === at ? 'step' : undefined}>
          {index < at && (
            <>
              <span aria-hidden="true">✓ </span>
              <span class="visually-hidden">Done: </span>
            </>
          )}
          {step}
        </li>
      ))}
    </ol>
  );
}
