from reviews import access
from reviews.profiles import versions
from tests.cast import Cast
from tests.desk.desk import Desk
from tests.lab.judged_rules import judged

PAGE = "/settings/rules"


def test_the_page_shows_the_record_of_each_rule_in_all_and_by_tool(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "No rule has a record yet")
    rule = judged(cast, upheld=1, overruled=1)
    admin_desk.shows(PAGE, rule, "1 of 2", "1 of 2 upheld,", "between 9 % and 91 %")


def test_the_page_stores_a_least_precision_and_switches_rules_on(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends(f"{PAGE}/precision", "Version 2 is in force", percent="90")
    assert access.current_profile(cast.workspace).min_rule_precision == 0.9
    versions.new_version(membership=cast.admin, suspended_rules=["proofs.near_copy"])
    admin_desk.shows(PAGE, "Switch on again")
    for told in ("Version 4 is in force", ""):
        admin_desk.sends(f"{PAGE}/switch-on", told, rule="proofs.near_copy")
    assert not access.current_profile(cast.workspace).suspended_rules


def test_a_share_beyond_the_whole_is_refused(admin_desk: Desk) -> None:
    response = admin_desk.client.post(f"{PAGE}/precision", {"percent": "101"})
    assert response.status_code == 422
    assert "A whole number from 1 to 100." in response.content.decode()
