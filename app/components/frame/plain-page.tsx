// Standalone pages outside the store admin.
import type { ReactNode } from "react";
import stylesheet from "../plain-page.css?inline";

export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <style dangerouslySetInnerHTML={{ __html: stylesheet }} />
      <main className="plain-page">
        <h1>{title}</h1>
        {children}
      </main>
    </>
  );
}

export function NotFoundPage() {
  return (
    <PlainPage title="This page does not exist">
      <p>The address may be mistyped, or the page has moved.</p>
    </PlainPage>
  );
}

export function FailedPage() {
  return (
    <PlainPage title="Something went wrong on our side">
      <p>It has been logged. Load the page again in a moment.</p>
    </PlainPage>
  );
}
