from crewai import Agent, Crew, Task
from my_agent import llm, pay
from provenanceguard import Guard
from provenanceguard.adapters.crewai import guard_tools

guard, query = Guard("https://guard.example", "pgr_YOUR_KEY"), "Pay Daniel $30."
tools = guard_tools(guard, [pay], query=query)
agent = Agent(role="payer", goal="Pay what is asked", backstory="An accountant.", llm=llm, tools=tools)
task = Task(description=query, expected_output="What was paid", agent=agent)
Crew(agents=[agent], tasks=[task]).kickoff()
